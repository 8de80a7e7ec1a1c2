/**
 * Parameters of statements that order, limit or take a smallest or largest. SQLite (3.54) plans such a statement anew whenever a bare
 * parameter that a column is compared with for equality, or that limits, gets another value: four fifths of what a lookup costs. What is an
 * expression it takes as it comes, and finds the same index for it.
 */
export const integer = 'CAST(? AS INTEGER)';
export const text = 'CAST(? AS TEXT)';
