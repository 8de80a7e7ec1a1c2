/** Who holds a session: Gemini CLI writes no registry, takes no lock and keeps its file closed between two appends (0.61.0). */
import type { Absent } from '../contract/shuttle.ts';

export const geminiPresence: Absent = {
  absent: 'Gemini CLI leaves no sign of which process has a session open, so that Loom cannot tell whether one is live.',
};
