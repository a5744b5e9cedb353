import type { ConnectionReport } from "../channel.ts";
import { receiptOf } from "../receipts.ts";

/** The report on a connection that failed with what was thrown. */
export function failedReport(error: unknown): ConnectionReport {
  const receipt = receiptOf(error);
  return { ok: false, message: receipt.state === "confirmed" ? "" : receipt.why };
}
