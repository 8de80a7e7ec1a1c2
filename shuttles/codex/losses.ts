/** What does not arrive in Codex as it was. */
import type { Loss } from '../contract/shuttle.ts';

export const codexLosses: readonly Loss[] = [
  {
    kind: 'foreignCalls',
    text: 'Calls of tools other than a shell become text that tells of them, with their output quoted; shell calls become calls of Codex’s own shell tool.',
  },
  {
    kind: 'shellOptions',
    text: 'Of a shell call of another agent only the command and its folder are kept: time limits and other options of the call go.',
  },
  { kind: 'callIds', text: 'Ids of calls are written in the signs that Codex’s provider takes, each once in the session.' },
  { kind: 'openCalls', text: 'A call without a result gets one that says that none was recorded.' },
  { kind: 'errorMark', text: 'A result has no mark that it was an error: only its words tell.' },
  {
    kind: 'images',
    text: 'Pictures that Codex does not take (not PNG, JPEG, GIF or WebP, or only a path or an address), and the oldest beyond 12 MB, become a word.',
  },
  {
    kind: 'resultImages',
    text: 'Pictures in a result that is told in words, and pictures in answers, follow as a message of their own.',
  },
  { kind: 'emptyTexts', text: 'Texts with nothing but spaces are left out; a result without text says so.' },
  { kind: 'unsendable', text: 'NUL and halves of characters become the replacement character.' },
  {
    kind: 'ownTexts',
    text: 'Prompts in the form of Codex’s own notes on its surroundings are left out, since Codex makes them anew.',
  },
  { kind: 'longTexts', text: 'In a thread that is too long, older outputs and very long texts lose their middle.' },
  { kind: 'oldTurns', text: 'Of a thread that is too long the oldest turns are left out; the hand-over note stands for them.' },
  {
    kind: 'grouping',
    text: 'The parts of an answer become messages of their own, and each result stands directly behind its call.',
  },
];
