/**
 * What must hold of a carried conversation: everything is heard, in order, once, in whole pairs, and no secret is in it. A call
 * may be carried as a call or as a text that tells of it; what counts is that its essence and its result can be read.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { unframed } from './reading.mjs';
import { secrets } from './secrets.mjs';

export const squeezed = (text) => text.replace(/\s+/g, ' ').trim();

/** All text of an item, whatever it is, for searches. */
function wordsOf(item) {
  return squeezed(item.user ?? item.assistant ?? item.text ?? (item.call ? JSON.stringify(item.input) : ''));
}

/** What must be found of a call in the target: the strings that say what it did, as JSON would write them or plain. */
function essence(item) {
  const { input } = item;
  if (typeof input.command === 'string') return [input.command];
  if (typeof input.cmd === 'string') return [input.cmd];
  if (typeof input.CommandLine === 'string') return [input.CommandLine];
  const file = input.file_path ?? input.path ?? input.absolute_path;
  if (typeof file === 'string') return [path.basename(file)];
  const inScript = /exec_command\((\{.*\})\)/.exec(input.input ?? '');
  if (inScript) return [JSON.parse(inScript[1]).cmd];
  if (typeof input.input === 'string') return ['cart.js'];
  return JSON.stringify(input).includes('Write cart.js') ? ['Write cart.js'] : [];
}
const has = (words, part) => words.includes(squeezed(part)) || words.includes(squeezed(JSON.stringify(part).slice(1, -1)));

/** The lines of a result without the frame that its program put around it, and without those that were masked. */
function resultEssence(text) {
  const isPublic = (line) => !Object.values(secrets).some((secret) => line.includes(secret));
  return unframed(text)
    .split('\n')
    .filter((line) => line.trim() && isPublic(line));
}

/**
 * Asserts that `heard` has everything of `carried` after `batonAt`, and every text once. Texts stand in order; the calls and
 * results between two texts stand between them, in any order, since each program pairs and sorts parallel ones its own way.
 */
export function assertCarried(heard, carried, batonAt) {
  let at = batonAt + 1;
  let between = [];
  const assertBetween = (end) => {
    for (const item of between) {
      const found = heard.slice(at, end).some((other) => holds(other, item));
      assert.ok(
        found,
        `not heard in its place: ${JSON.stringify(item)}\nthere: ${JSON.stringify(heard.slice(at, end)).slice(0, 3000)}`,
      );
    }
    between = [];
  };
  for (const item of carried) {
    if (!item.user && !item.assistant) {
      between.push(item);
      continue;
    }
    const found = heard.findIndex((other, index) => index >= at && holds(other, item));
    assert.ok(
      found >= 0,
      `not heard, or out of order: ${JSON.stringify(item)}\nheard: ${JSON.stringify(heard.slice(at)).slice(0, 3000)}`,
    );
    // A program may send an answer in one message with what came before it.
    assertBetween(found + 1);
    at = isWhole(heard[found], item) ? found + 1 : found;
  }
  assertBetween(heard.length);
  for (const role of ['user', 'assistant']) {
    for (const text of new Set(carried.flatMap((item) => item[role] ?? []))) {
      const count = (items) => items.filter((item) => holds(item, { [role]: text })).length;
      const masked = Object.values(secrets).some((secret) => text.includes(secret));
      if (!masked) assert.equal(count(heard.slice(batonAt + 1)), count(carried), `times that the ${role} text is heard: ${text}`);
    }
  }
}

const isWhole = (other, item) => ['user', 'assistant'].every((role) => !item[role] || other[role] === item[role]);
const paragraphs = (text) => (text ?? '').split(/\n{2,}/).map((part) => part.trim());

function holds(other, item) {
  const words = wordsOf(other);
  for (const role of ['user', 'assistant']) {
    if (!item[role]) continue;
    const secret = Object.values(secrets).find((one) => item[role].includes(one));
    if (!secret) return isWhole(other, item) || (role === 'assistant' && paragraphs(other.assistant).includes(item.assistant));
    const [before, after] = item[role].split(secret);
    return other[role]?.startsWith(before) === true && other[role].endsWith(after);
  }
  if (item.call) return essence(item).every((part) => has(words, part));
  if (item.result) return resultEssence(item.text).every((line) => has(words, line));
  return false;
}

/** Calls and results that the target heard natively must be whole pairs, the result after its call. */
export function assertPairs(heard) {
  const calls = heard.flatMap((item, index) => (item.call ? [[item.call, index]] : []));
  const results = heard.flatMap((item, index) => (item.result !== undefined ? [[item.result, index]] : []));
  assert.equal(new Set(calls.map(([id]) => id)).size, calls.length, 'a call id is used twice');
  assert.deepEqual(calls.map(([id]) => id).toSorted(), results.map(([id]) => id).toSorted(), 'every call has one result');
  for (const [id, index] of results)
    assert.ok(calls.find(([call]) => call === id)[1] < index, `the result of ${id} stands before it`);
}

export function assertNoSecrets(value, where) {
  const text = JSON.stringify(value);
  for (const [name, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `the ${name} is in ${where}`);
}
