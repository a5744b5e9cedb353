import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import type { ContentBlock } from "../chunk.ts";
import type { Message, ToolResultBlock } from "../message.ts";
import { type PromptOptions, toPrompt } from "./prompt.ts";
import { forVersion3 } from "./prompt-v3.ts";

const base = { id: "m", createdAt: "2026-01-01T00:00:00Z" } as const;
const png = (id: string, name?: string): ContentBlock => ({
  type: "data",
  id,
  source: { type: "base64", data: "AAAA", mediaType: "image/png" },
  ...(name === undefined ? {} : { name }),
});
const text = (id: string, said: string): ContentBlock => ({ type: "text", id, text: said });
const result = (output: readonly ContentBlock[], state: ToolResultBlock["state"] = "success"): Message => ({
  ...base,
  role: "tool",
  content: [{ type: "tool_result", id: "c1", name: "Read", output, state, metadata: {} }],
});
const OPTIONS: PromptOptions = { system: "", images: "result", maxImages: 10 };

describe("the prompt of a conversation", () => {
  const rows: readonly (readonly [
    title: string,
    messages: readonly Message[],
    options: Partial<PromptOptions>,
    prompt: LanguageModelV4Prompt,
  ])[] = [
    ["begins with the system's", [], { system: "Be brief." }, [{ role: "system", content: "Be brief." }]],
    [
      "has people's messages, and hints as if they were",
      [
        {
          ...base,
          role: "user",
          content: [text("t", "Hi"), { type: "hint", id: "h", hint: "Note.", source: "tasks" }],
        },
      ],
      {},
      [
        {
          role: "user",
          content: [
            { type: "text", text: "Hi" },
            { type: "text", text: "Note." },
          ],
        },
      ],
    ],
    [
      "gives providers back what is theirs, and leaves empty texts out",
      [
        {
          ...base,
          role: "assistant",
          content: [
            { type: "thinking", id: "h", thinking: "Hm", provider: { anthropic: { signature: "s" } } },
            { type: "text", id: "e", text: "" },
            {
              type: "tool_call",
              id: "c1",
              name: "Read",
              input: '{"file_path":"a"}',
              state: "finished",
              provider: { google: { thoughtSignature: "x" } },
            },
          ],
        },
      ],
      {},
      [
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm", providerOptions: { anthropic: { signature: "s" } } },
            {
              type: "tool-call",
              toolCallId: "c1",
              toolName: "Read",
              input: { file_path: "a" },
              providerOptions: { google: { thoughtSignature: "x" } },
            },
          ],
        },
      ],
    ],
    [
      "sends an object where the model's arguments were none",
      [
        {
          ...base,
          role: "assistant",
          content: [{ type: "tool_call", id: "c1", name: "Read", input: "a.txt please", state: "finished" }],
        },
      ],
      {},
      [
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "c1", toolName: "Read", input: {} }],
        },
      ],
    ],
    [
      "says which results are failures, and that one says nothing",
      [result([text("t", "no")], "denied"), result([])],
      {},
      [
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "Read",
              output: { type: "error-text", value: "no" },
            },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "Read",
              output: { type: "text", value: "(no output)" },
            },
          ],
        },
      ],
    ],
    [
      "shows images in the result",
      [result([text("t", "Look:"), png("p", "a.png")])],
      {},
      [
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "Read",
              output: {
                type: "content",
                value: [
                  { type: "text", text: "Look:" },
                  {
                    type: "file",
                    mediaType: "image/png",
                    data: { type: "data", data: "AAAA" },
                    filename: "a.png",
                  },
                ],
              },
            },
          ],
        },
      ],
    ],
    [
      "names what no model takes",
      [
        result([
          {
            type: "data",
            id: "d",
            source: { type: "url", url: "https://example.com/x.tiff", mediaType: "image/tiff" },
          },
        ]),
      ],
      {},
      [
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "Read",
              output: { type: "text", value: "[data, image/tiff: not shown here]" },
            },
          ],
        },
      ],
    ],
    [
      "shows the newest images only",
      [{ ...base, role: "user", content: [png("old", "old.png"), png("new", "new.png")] }],
      { maxImages: 1 },
      [
        {
          role: "user",
          content: [
            { type: "text", text: "[old.png, image/png, 3 bytes: not shown here]" },
            {
              type: "file",
              mediaType: "image/png",
              data: { type: "data", data: "AAAA" },
              filename: "new.png",
            },
          ],
        },
      ],
    ],
  ];

  it.each(rows)("%s", (_title, messages, options, prompt) => {
    expect(toPrompt(messages, { ...OPTIONS, ...options }).messages).toEqual(prompt);
  });
});

describe("the same for models of the version before", () => {
  it("writes files as they take them, and leaves the rest as it is", () => {
    const messages: readonly Message[] = [
      { ...base, role: "user", content: [png("p")] },
      result([text("t", "Look:"), png("q")]),
      result([text("t", "plain")]),
    ];
    const { messages: prompt } = toPrompt(messages, OPTIONS);
    expect(forVersion3({ prompt, temperature: 0, reasoning: "low" })).toEqual({
      temperature: 0,
      prompt: [
        { role: "user", content: [{ type: "file", mediaType: "image/png", data: "AAAA" }] },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "c1",
              toolName: "Read",
              output: {
                type: "content",
                value: [
                  { type: "text", text: "Look:" },
                  { type: "image-data", data: "AAAA", mediaType: "image/png" },
                ],
              },
            },
          ],
        },
        prompt[2],
      ],
    });
  });
});
