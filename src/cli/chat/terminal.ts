import { CtrlC } from "./ctrl-c.ts";
import { type LineSource, lineSource } from "./line-source.ts";
import { ChatView } from "./view.ts";

/** The person's side of all conversations of one run: what they write, what they see, how they stop it. */
export class ChatTerminal implements Disposable {
  readonly lines: LineSource = lineSource();
  readonly view: ChatView = new ChatView();
  readonly ctrlC: CtrlC = new CtrlC();

  /** The next message or command, over several lines where they end with a backslash; `undefined` when there are no more. */
  async message(): Promise<string | undefined> {
    const { lines, view, ctrlC } = this;
    let before = "";
    for (;;) {
      const prompt = before === "" ? "\n› " : "… ";
      const given = await lines.next(prompt, ctrlC.quit.signal);
      if (ctrlC.quit.signal.aborted || given === "end") return undefined;
      if (given === "interrupt") {
        if (ctrlC.press()) return undefined;
        view.note(view.paint("dim", "Ctrl-C again, Ctrl-D or /quit ends."));
        before = "";
      } else if (lines.isInteractive && given.line.endsWith("\\")) before += `${given.line.slice(0, -1)}\n`;
      else return before + given.line;
    }
  }

  [Symbol.dispose](): void {
    this.lines[Symbol.dispose]();
    this.ctrlC[Symbol.dispose]();
  }
}
