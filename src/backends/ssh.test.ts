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
  const create = async (): Promise<EscapeWorld> => {
    const { folder, remove } = await testFolder();
    const backend = await sshBackend({ ...accessTo(sshd), path: folder, connectTimeoutMs: 1500 });
    return { backend, root: folder, dispose: remove };
  };

  backendContract({
    name: "The SSH backend, side by side,",
    runner: sideBySide,
    create,
    only: ["reading", "writing", "links", "stopping", "confining"],
  });
  backendContract({
    name: "The SSH backend",
    runner,
    create,
    only: ["large files", "running", "output"],
  });
  toolContract({ name, runner: sideBySide, create });
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
      const world = await create();
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
