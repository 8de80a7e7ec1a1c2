/** Full-text search over all threads in a picker: hits as they are typed, best first; a hit opens its thread at that entry. */
import * as vscode from 'vscode';
import { harnessNames } from '../shuttles/contract/harness.ts';
import { requests, type SearchHit, type SearchResult } from '../server/protocol/requests.ts';
import { age } from './amounts.ts';
import { troubleOf } from './fault-of.ts';
import type { Link } from './link.ts';
import { label } from './plain-text.ts';

/** The person pauses this long before a search is sent. */
const pause = 120;
const most = 60;

interface HitItem extends vscode.QuickPickItem {
  readonly hit: SearchHit | null;
}

export function searchThreads(link: Link, open: (hit: SearchHit) => void): vscode.Disposable {
  const picker = vscode.window.createQuickPick<HitItem>();
  picker.title = 'Loom: Search threads';
  picker.placeholder = 'Words that stand in a prompt, an answer, a command or its output';
  picker.matchOnDescription = true;
  let waiting: NodeJS.Timeout | null = null;
  let asked = 0;
  const ask = async (words: string): Promise<void> => {
    asked += 1;
    const turn = asked;
    if (words.trim() === '') {
      picker.items = [];
      picker.busy = false;
      return;
    }
    picker.busy = true;
    const items = await link
      .request(requests.search, { words, limit: most })
      .then(hitItems, (error: unknown) => [lineItem(troubleOf(error).text)]);
    if (turn !== asked) return;
    picker.busy = false;
    picker.items = items;
  };
  picker.onDidChangeValue((words) => {
    if (waiting !== null) clearTimeout(waiting);
    waiting = setTimeout(() => {
      void ask(words);
    }, pause);
  });
  picker.onDidAccept(() => {
    const hit = picker.selectedItems[0]?.hit;
    if (hit === undefined || hit === null) return;
    picker.hide();
    open(hit);
  });
  picker.onDidHide(() => {
    if (waiting !== null) clearTimeout(waiting);
    asked += 1;
    picker.dispose();
  });
  picker.show();
  return picker;
}

function hitItems(result: SearchResult): readonly HitItem[] {
  if (result.hits.length === 0) return [lineItem(result.hint ?? 'Nothing was found.')];
  return result.hits.map((hit) => ({
    label: label(hit.title, 100),
    description: [harnessNames[hit.harness], hit.at === null ? '' : age(hit.at, Date.now())]
      .filter((part) => part !== '')
      .join(' · '),
    detail: label(snippetText(hit.snippet), 200),
    alwaysShow: true,
    hit,
  }));
}

/** The marks around matches are private-use characters; a picker cannot draw them, so words stand in quotes' stead. */
export function snippetText(snippet: string): string {
  return snippet.replaceAll('\u{e000}', '«').replaceAll('\u{e001}', '»');
}

function lineItem(text: string): HitItem {
  return { label: label(text, 200), alwaysShow: true, hit: null };
}
