/** What does not arrive in Antigravity as it was (shuttles/contract/shuttle.ts). */
import type { Loss } from '../../contract/shuttle.ts';

export const losses: readonly Loss[] = [
  {
    kind: 'images',
    text: 'Images other than PNG, JPEG, GIF and WebP, images of an answer, images that are only referred to and those too large for a request become a line of text.',
  },
  { kind: 'resultImages', text: 'Images in results of tools become a word of text.' },
  {
    kind: 'foreignCalls',
    text: 'Calls stay calls whatever the tool, with their results in Antigravity’s general form; one whose name or arguments cannot be sent is told as text.',
  },
  {
    kind: 'callIds',
    text: 'Ids of tool calls are written in letters, digits, dashes and underscores, each once in the conversation.',
  },
  { kind: 'openCalls', text: 'A call without a result gets one that says that none was recorded.' },
  { kind: 'errorMark', text: 'That a call failed is said in words where the call is told as text.' },
  { kind: 'emptyTexts', text: 'Texts with nothing but spaces are left out.' },
  { kind: 'longTexts', text: 'Outputs and texts are shortened in their middle when the thread is too long for a model.' },
  { kind: 'oldTurns', text: 'The oldest turns are left out when the thread is too long for a model; the baton stands for them.' },
  { kind: 'unsendable', text: 'NUL and halves of characters become the replacement character, since servers refuse them.' },
  {
    kind: 'ownTexts',
    text: 'A prompt that begins with the wrapper that Antigravity puts around its requests has "[Prompt]" in front.',
  },
  { kind: 'grouping', text: 'The texts of a prompt become one, and text behind a call begins an answer of its own.' },
];
