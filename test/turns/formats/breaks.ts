/** Whatever some reader or other takes as the end of a line, or of a text. */
export const BREAKS = /\r\n|[\n\r\v\f\0\u0085\u2028\u2029]/;
