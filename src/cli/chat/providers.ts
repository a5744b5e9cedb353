/** A service that models are asked through. */
export interface Provider {
  readonly name: string;
  readonly api: "openai" | "anthropic";
  /** Without a key, nothing but a service of one's own answers. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  readonly baseUrl?: string;
  /** Runs on one's own machine: no key is needed. */
  readonly isLocal?: boolean;
}

/** Services by the name that stands before the slash in `--model`. Others work with `--base-url`. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    api: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    urlVariable: "ANTHROPIC_BASE_URL",
  },
  {
    name: "openai",
    api: "openai",
    keyVariable: "OPENAI_API_KEY",
    urlVariable: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
  },
  {
    name: "openrouter",
    api: "openai",
    keyVariable: "OPENROUTER_API_KEY",
    urlVariable: "OPENROUTER_BASE_URL",
    baseUrl: "https://openrouter.ai/api/v1",
  },
  {
    name: "deepseek",
    api: "openai",
    keyVariable: "DEEPSEEK_API_KEY",
    urlVariable: "DEEPSEEK_BASE_URL",
    baseUrl: "https://api.deepseek.com/v1",
  },
  {
    name: "groq",
    api: "openai",
    keyVariable: "GROQ_API_KEY",
    urlVariable: "GROQ_BASE_URL",
    baseUrl: "https://api.groq.com/openai/v1",
  },
  {
    name: "mistral",
    api: "openai",
    keyVariable: "MISTRAL_API_KEY",
    urlVariable: "MISTRAL_BASE_URL",
    baseUrl: "https://api.mistral.ai/v1",
  },
  {
    name: "ollama",
    api: "openai",
    keyVariable: "OLLAMA_API_KEY",
    urlVariable: "OLLAMA_BASE_URL",
    baseUrl: "http://127.0.0.1:11434/v1",
    isLocal: true,
  },
];
