export {
  type BackendContractOptions,
  backendContract,
  type ContractGroup,
  type ContractWorld,
  type TestContext,
  type TestRunner,
} from "./backend-contract.ts";
export {
  type EscapeContractOptions,
  type EscapeGroup,
  type EscapeNeed,
  type EscapeWorld,
  escapeContract,
} from "./escape-contract.ts";
export {
  type JobContractOptions,
  type JobNeed,
  type JobWorker,
  type JobWorld,
  jobContract,
  registerScripts,
  SCRIPT_QUEUES,
} from "./job-contract.ts";
export { type RecordingApprover, recordingApprover } from "./recording-approver.ts";
export { type RecordingAudit, recordingAudit } from "./recording-audit.ts";
export {
  type StoreContractOptions,
  type StoreNeed,
  type StoreWorld,
  storeContract,
} from "./store-contract.ts";
export { type ToolContractGroup, type ToolContractOptions, toolContract } from "./tool-contract.ts";
