/** What does not arrive in Claude Code as it was. */
import type { Loss } from '../contract/shuttle.ts';

export const claudeLosses: readonly Loss[] = [
  {
    kind: 'foreignCalls',
    text: 'Calls of tools that Claude Code does not have become text that tells of them, with their output quoted; shell calls become Bash calls.',
  },
  {
    kind: 'shellOptions',
    text: 'Of a shell call of another agent only the command is kept: time limits and other options of the call go.',
  },
  { kind: 'callIds', text: 'Ids of calls are written in the signs that Claude takes, each once in the session.' },
  { kind: 'openCalls', text: 'A call without a result gets one that says that none was recorded.' },
  {
    kind: 'errorMark',
    text: 'Of a call that is told in words, words also say that it failed.',
  },
  {
    kind: 'images',
    text: 'Pictures that Claude does not take (not PNG, JPEG, GIF or WebP, over 5 MB or 8,000 pixels a side, or only a path), pictures in answers, and the oldest beyond 20 or 8 MB become the word [image].',
  },
  { kind: 'resultImages', text: 'Pictures in a result that is told in words follow it as a message of their own.' },
  { kind: 'emptyTexts', text: 'Texts with nothing but spaces are left out.' },
  { kind: 'unsendable', text: 'NUL and halves of characters become the replacement character.' },
  { kind: 'longTexts', text: 'In a thread that is too long, older outputs and very long texts lose their middle.' },
  { kind: 'oldTurns', text: 'Of a thread that is too long the oldest turns are left out; the hand-over note stands for them.' },
  {
    kind: 'grouping',
    text: 'Answers in a row become one message, and the results of a message stand directly behind it, in the order of its calls.',
  },
];
