/** The facts of an action in words, for a line of the terminal: how it ended, who decided, what changed, what was asked. */
import type { ActionDetails } from '../../shuttles/contract/entry.ts';

/** "exit 1", "denied by user", "+12 −3 src/a.ts", "in the background", in the order in which they matter. */
export function actionWords(details: ActionDetails, isError: boolean): readonly string[] {
  const { status, exitCode, decision, files = [], questions = [], durationMs } = details;
  const open = status === undefined ? details.extra : undefined;
  return [
    outcome(status, isError, exitCode),
    exitCode === undefined ? '' : `exit ${exitCode}`,
    decision?.allowed === false && decision.by !== undefined ? `by ${decision.by}` : '',
    open?.['awaits'] === 'approval' ? 'waits for approval' : open?.['backgroundTask'] === undefined ? '' : 'in the background',
    ...files.map((file) => `+${file.added} −${file.removed} ${file.movedTo ?? file.path}`),
    details.url ?? '',
    details.truncated === true ? 'shortened' : '',
    durationMs === undefined || durationMs < 1000 ? '' : `${(durationMs / 1000).toFixed(1)} s`,
    ...questions.map(({ question, answer }) => `${question} → ${answer ?? 'no answer'}`),
  ].filter((word) => word !== '');
}

function outcome(status: ActionDetails['status'], isError: boolean, exitCode: number | undefined): string {
  if (status === 'denied' || status === 'interrupted') return status;
  return isError || status === 'failed' || (exitCode !== undefined && exitCode !== 0) ? 'failed' : 'ok';
}
