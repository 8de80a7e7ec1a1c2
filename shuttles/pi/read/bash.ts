/**
 * A person's own command (`!cmd`, and `bash` over RPC): an action beside the model's log. The model is told of it in a user message of
 * pi's wording, unless the person kept it to themselves (`!!cmd`).
 */
import type { JsonObject } from '../../contract/json.ts';
import { bool, filled, num, oneLine, str } from '../../kit/fields.ts';
import { piece, type Piece } from './page.ts';
import { cut } from './state.ts';

export function bashPieces(message: JsonObject): readonly Piece[] {
  const command = str(message, 'command') ?? '';
  const output = str(message, 'output') ?? '';
  const exitCode = num(message, 'exitCode');
  const cancelled = bool(message, 'cancelled') === true;
  const truncated = bool(message, 'truncated') === true;
  const failed = exitCode !== undefined && exitCode !== 0;
  const savedAt = filled(message, 'fullOutputPath');
  const step = piece(
    'step',
    {
      title: oneLine(command, 200),
      output,
      isError: failed || cancelled,
      details: {
        action: 'command',
        status: cancelled ? 'interrupted' : failed ? 'failed' : 'completed',
        command: cut(command, 4000),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(truncated ? { truncated: true } : {}),
        ...(savedAt === undefined ? {} : { extra: { savedAt: cut(savedAt, 1000) } }),
      },
    },
    'tool',
  );
  if (bool(message, 'excludeFromContext') === true) return [step];
  const notes = [
    cancelled ? '\n\n(command cancelled)' : failed ? `\n\nCommand exited with code ${exitCode}` : '',
    truncated && savedAt !== undefined ? `\n\n[Output truncated. Full output: ${savedAt}]` : '',
  ].join('');
  const told = `Ran \`${command}\`\n${output === '' ? '(no output)' : `\`\`\`\n${output}\n\`\`\``}${notes}`;
  return [step, piece('user', { content: [{ type: 'text', text: told }], origin: 'harness' }, 'tool')];
}
