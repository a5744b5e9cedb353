// toolgate/langchain: a toolkit's tools for LangChain and LangGraph, and LangChain's tools as tools of ours.

export {
  type FromLangchainOptions,
  type LangchainToolLike,
  toolsFromLangchain,
} from "./langchain/from-langchain.ts";
export { type LangchainOptions, langchainTools } from "./langchain/langchain-tools.ts";
