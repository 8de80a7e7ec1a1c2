/** The record that the database's tables make of a session (store/session-record.ts): facts, and where the session goes on. */
import type { JsonObject } from '../../contract/json.ts';
import type { SessionFacts } from '../../contract/read.ts';
import { filled, obj, str } from '../../kit/fields.ts';
import { nameOf } from '../../pi/read/row.ts';
import { noteFacts } from '../../pi/read/session-facts.ts';
import { isSessionId } from '../names.ts';
import { entryFacts } from '../session-entry.ts';
import type { Page } from './state.ts';

export function takeSession(page: Page, value: JsonObject): void {
  noteFacts(page, toldFacts(value));
  // Said every time: an older part that `/new` set aside under the same id says otherwise.
  page.facts.archived = value['archived'] === true;
  const leaf = filled(value, 'leaf');
  if (leaf !== undefined) page.out.push({ type: 'head', key: nameOf(page.state, leaf), exact: true });
}

export function toldFacts(value: JsonObject): SessionFacts {
  const origin = originOf(value);
  const version = filled(value, 'version');
  return {
    ...entryFacts(str(value, 'key') ?? '', obj(value, 'entry') ?? {}, filled(value, 'external') !== undefined),
    ...(origin === undefined ? {} : { forkedFrom: origin }),
    ...(version === undefined ? {} : { programVersion: version }),
    ...(value['archived'] === true ? { archived: true } : {}),
  };
}

/**
 * The session that this one goes on from. A window that begins anew (`initial`, `reset`) or that was only switched to goes on from none,
 * whatever stood under its key before.
 */
export function originOf(value: JsonObject): string | undefined {
  const previous = filled(value, 'previous');
  const source = filled(value, 'forkedFrom');
  const found = ofReason(str(value, 'reason'), previous, source);
  return found !== undefined && isSessionId(found) && found !== value['sessionId'] ? found : undefined;
}

function ofReason(reason: string | undefined, previous: string | undefined, source: string | undefined): string | undefined {
  switch (reason) {
    case 'fork':
      return source ?? previous;
    case 'rewind':
    case 'rollover':
    case 'recovery':
    case 'compaction':
      return previous;
    case undefined:
      return previous === undefined ? source : undefined;
    default:
      return undefined;
  }
}
