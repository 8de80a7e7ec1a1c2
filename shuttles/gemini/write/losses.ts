/** What does not arrive in Gemini CLI as it was (shuttles/contract/shuttle.ts). */
import type { Loss } from '../../contract/shuttle.ts';

export const losses: readonly Loss[] = [
  {
    kind: 'images',
    text: 'Images other than PNG, JPEG and WebP, images that are only referred to and those too large for a request become a line of text; images of an answer follow behind it.',
  },
  {
    kind: 'resultImages',
    text: 'Images in results of tools that Gemini CLI does not have follow behind the answer, under a label; types that it does not take become a line of text.',
  },
  {
    kind: 'foreignCalls',
    text: 'Calls of tools that Gemini CLI does not have are told as text, with their results quoted; shell calls, reads, edits, searches and to-do lists of the same meaning become its own.',
  },
  {
    kind: 'shellOptions',
    text: 'Of a shell call of another agent time limits and the like are left out; command and folder stay.',
  },
  { kind: 'callIds', text: 'Ids of tool calls are written in letters, digits and dashes, each once in the session.' },
  { kind: 'openCalls', text: 'A call without a result gets one that says that none was recorded.' },
  { kind: 'errorMark', text: 'That a call failed is said in words where the call is told as text.' },
  { kind: 'emptyTexts', text: 'Texts with nothing but spaces are left out.' },
  { kind: 'longTexts', text: 'Outputs and texts are shortened in their middle when the thread is too long for a model.' },
  { kind: 'oldTurns', text: 'The oldest turns are left out when the thread is too long for a model; the baton stands for them.' },
  { kind: 'unsendable', text: 'NUL and halves of characters become the replacement character, since servers refuse them.' },
  {
    kind: 'ownTexts',
    text: 'A prompt that begins with a slash, a question mark or one of Gemini CLI’s own elements has "[Prompt]" in front, since it would be left out otherwise.',
  },
  {
    kind: 'grouping',
    text: 'A result stands right behind its call, and text behind a call begins a message of its own.',
  },
];
