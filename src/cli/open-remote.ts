import type { Backend } from "../backend.ts";
import type { BackendChoice } from "./backend-choice.ts";
import { podOwner } from "./left-pods.ts";
import type { Here } from "./local-place.ts";

/** A pod whose program was killed ends by itself. */
const POD_SECONDS = 7 * 24 * 60 * 60;

/** Nobody comes back to a session that has only an id. */
const UNNAMED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a place is opened for. */
export interface RemoteQuestion extends Here {
  /** A session that may go on later, by its name. */
  readonly sessionId: string | undefined;
}

/** Opens a place other than this machine as it is; only that one's code is loaded. @throws ToolgateError `missing_dependency`, `backend_unavailable` */
export async function openRemote(choice: BackendChoice, question: RemoteQuestion): Promise<Backend> {
  const { cwd, project } = question;
  switch (choice.kind) {
    case "local":
      return (await import("../backends/local.ts")).localBackend({ cwd });
    case "bubblewrap":
      return (await import("../backends/bubblewrap.ts")).bubblewrapBackend({ workspace: project });
    case "docker":
      return openDocker(choice.image, project);
    case "ssh": {
      const { kind: _kind, ...server } = choice;
      return (await import("../backends/ssh.ts")).sshBackend(server);
    }
    case "e2b":
      return openE2B(choice.template, question);
    case "k8s": {
      const { namespace, image } = choice;
      const { kubernetesBackend } = await import("../backends/kubernetes.ts");
      const owner = podOwner();
      return kubernetesBackend({
        ...{ namespace, image, deadlineSeconds: POD_SECONDS },
        ...(owner === undefined ? {} : { owner }),
      });
    }
  }
}

/** The project is there under its own path, so that rules, directories and sessions mean the same in it. */
async function openDocker(image: string, project: string): Promise<Backend> {
  const { dockerBackend } = await import("../backends/docker.ts");
  const backend = await dockerBackend({ image, pull: "missing", mount: project, workdir: project });
  // The next container of that image with that project is the same place to whoever approved something in it.
  return { ...backend, id: `docker:${image} ${project}` };
}

/** What a session that goes on later has made waits for it. */
async function openE2B(template: string, { sessionId, project }: RemoteQuestion): Promise<Backend> {
  const { e2bBackend } = await import("../backends/e2b.ts");
  if (sessionId === undefined || UNNAMED.test(sessionId)) return e2bBackend({ template });
  const digest = await crypto.subtle.digest(
    "SHA-256",
    Buffer.from(JSON.stringify([project, sessionId, template])),
  );
  const name = `toolgate-${Buffer.from(digest).toString("hex").slice(0, 24)}`;
  return e2bBackend({ template, name, onDispose: "pause" });
}
