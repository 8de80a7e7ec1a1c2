import { expect, test } from 'vitest';
import { keyAction, type Key } from './keys.ts';

const key = (name: string, over: Partial<Key> = {}): Key => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  target: { tagName: 'ARTICLE' },
  ...over,
});

test('keys move, fold and find', () => {
  expect(['ArrowDown', 'g', 'G', 'n', 'p', 'Enter', '/'].map((name) => keyAction(key(name)))).toEqual([
    'down',
    'start',
    'end',
    'nextPrompt',
    'previousPrompt',
    'fold',
    'find',
  ]);
  expect(keyAction(key('f', { ctrlKey: true }))).toBe('find');
});

test('typing in a field and pressing a button are left alone', () => {
  expect(keyAction(key('n', { target: { tagName: 'INPUT' } }))).toBeNull();
  expect(keyAction(key('ArrowDown', { target: { tagName: 'SELECT' } }))).toBeNull();
  expect(keyAction(key('Enter', { target: { tagName: 'BUTTON' } }))).toBeNull();
  expect(keyAction(key('ArrowDown', { target: { tagName: 'BUTTON' } }))).toBe('down');
  expect(keyAction(key('n', { altKey: true }))).toBeNull();
  expect(keyAction(key('q', { target: null }))).toBeNull();
});
