/** All planted sessions: every harness at least once. */
import type { PlantedSession } from '../session.ts';
import { antigravityUi } from './antigravity-ui.ts';
import { claudeGerman } from './claude-german.ts';
import { claudeWebshop } from './claude-webshop.ts';
import { codexFrench } from './codex-french.ts';
import { codexJapanese } from './codex-japanese.ts';
import { codexRust } from './codex-rust.ts';
import { geminiChinese } from './gemini-chinese.ts';
import { geminiGo } from './gemini-go.ts';
import { openclawDeploy } from './openclaw-deploy.ts';
import { piPython } from './pi-python.ts';
import { piSpanish } from './pi-spanish.ts';
import { claudeMarkdown } from './claude-markdown.ts';
import { codexKorean } from './codex-korean.ts';
import { openclawCasual } from './openclaw-casual.ts';
import { piRussian } from './pi-russian.ts';

export const plantedSessions: readonly PlantedSession[] = [
  claudeWebshop,
  claudeGerman,
  codexRust,
  codexJapanese,
  codexFrench,
  piPython,
  piSpanish,
  openclawDeploy,
  geminiChinese,
  geminiGo,
  antigravityUi,
  claudeMarkdown,
  codexKorean,
  openclawCasual,
  piRussian,
];
