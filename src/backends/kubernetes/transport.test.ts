import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { canLimit } from "../../../test/stand-ins/kubernetes/cgroup.ts";
import { type StandIn, startStandIn } from "../../../test/stand-ins/kubernetes/stand-in.ts";
import { connect, type KubernetesClient } from "./client.ts";
import { deletePod, openPod } from "./pod.ts";
import { PodTransport } from "./transport.ts";

const V5 = "v5.channel.k8s.io";
const V4 = "v4.channel.k8s.io";

describe.skipIf(!has("bwrap"))("programs in a pod of the Kubernetes stand-in", () => {
  describe.each([
    { title: "that speaks versions 5 and 4", protocols: [V5, V4] },
    { title: "that speaks only version 4", protocols: [V4] },
  ])("$title", ({ protocols }) => {
    let standIn: StandIn;
    let client: KubernetesClient;
    let transport: PodTransport;

    beforeAll(async () => {
      standIn = await startStandIn({ protocols });
      client = await connect({ kubeconfig: standIn.kubeconfig });
      ({ transport } = await openPod(client, { image: "debian:12" }));
    });
    afterAll(() => standIn[Symbol.asyncDispose]());

    /** Runs a program and keeps what it says. */
    async function run(argv: readonly string[], stdin?: Uint8Array | AsyncIterable<Uint8Array>) {
      const said = { stdout: "", stderr: "" };
      const end = await transport.run(argv, {
        ...(stdin === undefined ? {} : { stdin }),
        onOutput: (bytes, stream) => {
          said[stream] += Buffer.from(bytes).toString("latin1");
        },
      });
      return { ...said, ...end };
    }

    it.each([
      [["echo", "a b", "$HOME;`id`", "ü"], "", { stdout: "a b $HOME;`id` Ã¼\n", exitCode: 0 }],
      [["sh", "-c", "echo out; echo err >&2; exit 7"], "", { stdout: "out\n", stderr: "err\n", exitCode: 7 }],
      [["sh", "-c", "kill -9 $$"], "", { exitCode: 137 }],
      [["no-such-program"], "", { exitCode: 127 }],
      [["no-such-program"], "input", { exitCode: 127 }],
      [["cat"], "", { stdout: "", exitCode: 0 }],
      [["cat"], "in\n\0put", { stdout: "in\n\0put", exitCode: 0 }],
      [["cd"], "x", { exitCode: 127 }],
      [["head", "-c", "2"], "many more", { stdout: "ma", exitCode: 0 }],
      [["true"], "never read", { exitCode: 0 }],
      [["sh", "-c", "exit 3"], "never read", { exitCode: 3 }],
      [
        ["sh", "-c", "pwd; id -u; echo $HOME"],
        "",
        { stdout: "/workspace\n1000\n/home/toolgate\n", exitCode: 0 },
      ],
    ])("runs %j with input %j", async (argv, input, expected) => {
      const answer = await run(argv, Buffer.from(input));
      // Without the words of a shell that found nothing.
      const { stderr: _, ...plain } = answer;
      expect("stderr" in expected ? answer : plain).toMatchObject(expected);
    });

    it("carries much, both ways, in order", async () => {
      const block = Buffer.alloc(100_000, "0123456789abcdef\n");
      async function* much() {
        for (let count = 0; count < 40; count += 1) yield block;
      }
      const { stdout } = await run(["sh", "-c", "tee copy | cksum; cksum < copy; wc -c < copy"], much());
      const [one, other, size] = stdout.split("\n");
      expect([one, Number(size)]).toEqual([other, 4_000_000]);
    });

    it("talks back and forth over an input that stays open", async () => {
      let next = Promise.withResolvers<string>();
      async function* talk() {
        for (const line of ["one", "two", "three"]) {
          yield Buffer.from(`echo ${line}\n`);
          expect(await next.promise).toBe(`${line}\n`);
          next = Promise.withResolvers();
        }
      }
      const end = await transport.run(["sh"], {
        stdin: talk(),
        onOutput: (bytes) => next.resolve(Buffer.from(bytes).toString()),
      });
      expect(end).toEqual({ exitCode: 0, signal: null });
    });

    it("holds the program while its output isn't taken", async () => {
      let taken = 0;
      let first = true;
      const end = await transport.run(["head", "-c", "20000000", "/dev/zero"], {
        onOutput: async (bytes) => {
          taken += bytes.length;
          if (first) await new Promise((resolve) => setTimeout(resolve, 300));
          first = false;
        },
      });
      expect([taken, end.exitCode]).toEqual([20_000_000, 0]);
    });

    it("lets go of a run at once, and the program goes on", async () => {
      const stop = new AbortController();
      const { signal } = stop;
      const script = "echo $$ > pid; echo; exec sleep 60";
      const onOutput = () => stop.abort();
      await expect(transport.run(["sh", "-c", script], { signal, onOutput })).rejects.toMatchObject({
        code: "aborted",
      });
      expect(await run(["sh", "-c", "kill -0 $(cat pid) && kill -9 $(cat pid)"])).toMatchObject({
        exitCode: 0,
      });
    });

    it("passes on what the taker of the output throws", async () => {
      const onOutput = () => {
        throw new Error("enough");
      };
      await expect(transport.run(["yes"], { onOutput })).rejects.toThrow("enough");
    });

    it("passes on what the giver of the input throws", async () => {
      async function* broken() {
        yield Buffer.from("x");
        throw new Error("no more");
      }
      await expect(transport.run(["sleep", "60"], { stdin: broken() })).rejects.toThrow("no more");
    });
  });
});

describe.skipIf(!has("bwrap"))(
  "a pod of the Kubernetes stand-in that is lost in the middle of a command",
  () => {
    it.each([
      [
        "evicted",
        "is lost: Evicted: The node was low on resource: memory",
        (standIn: StandIn, pod: string) =>
          standIn.cluster.run(pod)?.evict("The node was low on resource: memory"),
      ],
      [
        "ended for want of memory",
        "is lost: its container was restarted: OOMKilled, exit code 137",
        (standIn: StandIn, pod: string) => standIn.cluster.run(pod)?.starve(),
      ],
      [
        "deleted",
        "is lost: it (has been|is being) deleted",
        async (standIn: StandIn, pod: string) => {
          await deletePod(await connect({ kubeconfig: standIn.kubeconfig }), pod, 0);
        },
      ],
      [
        "cut off",
        "can't be used: the connection was lost: closed with 1006",
        (standIn: StandIn) => standIn.cut(),
      ],
      [
        "gone silent",
        "can't be used: the connection was lost: the other side has gone silent",
        (standIn: StandIn) => standIn.freeze(),
      ],
    ])("because it was %s, says so", async (_title, message, lose) => {
      await using standIn = await startStandIn();
      const client = await connect({ kubeconfig: standIn.kubeconfig });
      const pod = await openPod(client, { image: "debian:12" });
      const transport = new PodTransport(client, pod.name, 0, 100);
      const running = transport.run(["sh", "-c", "echo started; sleep 60"], {
        onOutput: () => void lose(standIn, pod.name),
      });
      await expect(running).rejects.toMatchObject({
        code: "backend_unavailable",
        message: expect.stringMatching(new RegExp(`^The pod sandboxes/${pod.name} ${message}`)),
      });
    });

    it.skipIf(!canLimit())("because it has as many processes as it may have, says so", async () => {
      await using standIn = await startStandIn({ podPidsLimit: 40 });
      const client = await connect({ kubeconfig: standIn.kubeconfig });
      const { transport } = await openPod(client, { image: "debian:12" });
      const filling = "( while :; do sleep 60 & done ) 2>&-; echo full; exec sleep 60";
      await new Promise<void>((full) => {
        transport.run(["sh", "-c", filling], { onOutput: () => full() }).catch(() => undefined);
      });
      await expect(transport.run(["true"])).rejects.toMatchObject({
        code: "backend_unavailable",
        hint: expect.stringContaining("podPidsLimit"),
      });
    });
  },
);
