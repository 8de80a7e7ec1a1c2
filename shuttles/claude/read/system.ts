/**
 * Records of type `system`: boundaries of compactions and turns, output of local commands (which the model is given as user
 * text on the next request, seen in 2.1.332), retries of the API, hooks, notices.
 */
import { bool, count, field, filled, num, obj, str, strings } from '../../kit/fields.ts';
import { troubleOf } from '../../kit/trouble.ts';
import { textOf, userBlocks } from './content.ts';
import { piece, write, type Page, type Piece } from './page.ts';
import { recordKey, type Row } from './row.ts';
import { cut } from './state.ts';

export function readSystem(page: Page, row: Row): void {
  const subtype = str(row.value, 'subtype') ?? '';
  if (subtype === 'compact_boundary') return boundary(page, row);
  write(page, row, pieces(row, subtype));
}

function pieces(row: Row, subtype: string): readonly Piece[] {
  const { value } = row;
  const text = textOf(userBlocks(field(value, 'content')));
  switch (subtype) {
    case 'turn_duration': {
      const durationMs = num(value, 'durationMs');
      return [
        piece('turn', { phase: 'completed', ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }) }, 'harness'),
      ];
    }
    case 'local_command':
      return [
        piece(
          'user',
          { content: userBlocks(field(value, 'content')), origin: 'harness' },
          text.includes('<local-command-std') ? 'tool' : 'harness',
        ),
      ];
    case 'api_error':
      return [retry(row)];
    case 'stop_hook_summary': {
      const said = [
        ...strings(value, 'hookErrors'),
        ...strings(value, 'hookAdditionalContext'),
        filled(value, 'stopReason') ?? '',
      ].filter((part) => part !== '');
      const stopped = bool(value, 'preventedContinuation') === true;
      return said.length === 0 && !stopped
        ? []
        : [piece('notice', { level: stopped ? 'warning' : 'info', code: 'hook', text: said.join('\n') }, 'tool')];
    }
    default: {
      if (text === '') return [piece('opaque', { nativeType: cut(`system/${subtype}`, 100) }, 'harness')];
      return [piece('notice', { level: levelOf(str(value, 'level')), code: 'info', text }, 'harness')];
    }
  }
}

/** The boundary itself says nothing to a model; what it says of the summary is kept for the record that follows. */
function boundary(page: Page, row: Row): void {
  const { state } = page;
  const before = filled(row.value, 'logicalParentUuid');
  const metadata = obj(row.value, 'compactMetadata');
  const trigger = str(metadata, 'trigger');
  const tokensBefore = count(metadata, 'preTokens');
  const kept = strings(obj(metadata, 'preservedMessages'), 'uuids')[0] ?? filled(obj(metadata, 'preservedSegment'), 'headUuid');
  state.compaction = {
    ...(trigger === 'manual' || trigger === 'auto' ? { trigger } : {}),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
    ...(kept === undefined ? {} : { retain: recordKey(state.id, kept) }),
  };
  const parent = before === undefined ? (row.parent ?? state.last) : recordKey(state.id, before);
  write(page, { ...row, parent }, []);
}

function retry(row: Row): Piece {
  const text = retryText(row);
  const { code } = troubleOf(text, null, num(obj(row.value, 'error'), 'status') === 429);
  return piece('notice', { level: 'warning', code, text }, 'harness');
}

function retryText(row: Row): string {
  const error = obj(row.value, 'error');
  const said =
    filled(error, 'formatted') ?? filled(error, 'message') ?? filled(row.value, 'content') ?? 'The model could not be reached.';
  const [attempt, max] = [count(row.value, 'retryAttempt'), count(row.value, 'maxRetries')];
  return attempt === undefined ? said : `${said} (attempt ${attempt}${max === undefined ? '' : ` of ${max}`})`;
}

function levelOf(level: string | undefined): 'info' | 'warning' | 'error' {
  return level === 'error' ? 'error' : level === 'warning' ? 'warning' : 'info';
}
