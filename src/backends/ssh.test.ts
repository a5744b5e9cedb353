import { afterAll, beforeAll, describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { smallDisk } from "../../test/small-disk.ts";
import { startSshd, type TestSshd } from "../../test/sshd.ts";
import { testFolder } from "../../test/test-folder.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { type EscapeWorld, escapeContract } from "../testing/escape-contract.ts";
import { toolContract } from "../testing/tool-contract.ts";
import { accessTo } from "./ssh/fixtures/access.ts";
import { sshBackend } from "./ssh.ts";

const runner = { describe, it };
/** For rows that wait much, and go by no memory or environment of this process. */
const sideBySide = { describe: describe.concurrent, it };
const name = "a machine that is reached by SSH";

describe.skipIf(!has("sshd"))("with a real sshd", () => {
  let sshd: TestSshd | undefined;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd?.dispose());
  const create = async (connectTimeoutMs = 15_000): Promise<EscapeWorld> => {
    const { folder, remove } = await testFolder();
    const backend = await sshBackend({ ...accessTo(sshd), path: folder, connectTimeoutMs });
    return { backend, root: folder, dispose: remove };
  };

  backendContract({
    name: "The SSH backend, side by side,",
    runner: sideBySide,
    create: () => create(),
    only: ["reading", "writing", "links", "stopping", "confining"],
  });
  backendContract({
    name: "The SSH backend",
    runner,
    create: () => create(),
    only: ["large files", "running", "output"],
  });
  toolContract({ name, runner: sideBySide, create: () => create() });
  escapeContract({
    name,
    runner,
    lacks: {
      apart: "it is this machine, by another way",
      outsideView: "it connects again by itself",
      processLimit: "limits are the machine's own",
      memoryLimit: "limits are the machine's own",
    },
    async create() {
      // A server that is gone is to be given up soon.
      const world = await create(1500);
      const small = await smallDisk(`${world.root}-small`);
      return {
        ...world,
        ...(small === undefined ? {} : { small: small.path }),
        loseConnection: () => sshd?.cut(),
        removePlace: () => sshd?.stop(),
        async dispose() {
          await sshd?.start();
          small?.remove();
          await world.dispose?.();
        },
      };
    },
  });
});
