export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
export function readSummary(text: string): Summary | null;
export function addSummaries(summaries: readonly Summary[]): Summary;
export function writeSummary(summary: Summary): string;
export function judge(run: { readonly code: number; readonly counted: Summary | null }): Summary;
