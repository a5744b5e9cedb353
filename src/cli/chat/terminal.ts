import { CtrlC } from "./ctrl-c.ts";
import { Floor } from "./floor.ts";
import { type LineEnd, type LineSource, lineSource } from "./line-source.ts";
import { ChatView } from "./view.ts";

/** The person's side of all conversations of one run: what they write, what they see, how they stop it. */
export class ChatTerminal implements Disposable {
  readonly lines: LineSource = lineSource();
  readonly view: ChatView = new ChatView();
  readonly ctrlC: CtrlC = new CtrlC();
  readonly floor: Floor = new Floor((text) => this.view.note(text));

  /** The next message or command, over several lines where they end with a backslash; `undefined` when there are no more. */
  async message(): Promise<string | undefined> {
    const { lines, view, ctrlC } = this;
    let before = "";
    for (;;) {
      const prompt = before === "" ? "\n› " : "… ";
      const given = await this.#line(prompt);
      if (ctrlC.quit.signal.aborted || given === "end") return undefined;
      if (given === "interrupt") {
        if (ctrlC.press()) return undefined;
        view.note(view.paint("dim", "Ctrl-C again, Ctrl-D or /quit ends."));
        before = "";
      } else if (lines.isInteractive && given.line.endsWith("\\")) before += `${given.line.slice(0, -1)}\n`;
      else return before + given.line;
    }
  }

  /** A line; whoever wants to ask something meanwhile comes first while nothing is written. */
  async #line(prompt: string): Promise<{ readonly line: string } | LineEnd> {
    const { lines, ctrlC, floor } = this;
    const { signal } = ctrlC.quit;
    if (!lines.isInteractive) return lines.next(prompt, signal);
    for (;;) {
      const given = await floor
        .hold((draft) => lines.write(prompt, signal, draft, floor), signal)
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
          return "interrupt" as const;
        });
      if (typeof given === "string" || !("held" in given)) return given;
    }
  }

  [Symbol.dispose](): void {
    this.lines[Symbol.dispose]();
    this.ctrlC[Symbol.dispose]();
  }
}
