/** Turn ids of this form say that Loom carried the turn over from another agent: it was not held here. */
export const writtenTurn = 'loom-turn-';
/** The turn that holds the hand-over packet alone. */
export const batonTurn = 'loom-turn-baton';
