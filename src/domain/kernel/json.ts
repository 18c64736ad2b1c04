/** What a stored event or a public state may hold: JSON, and nothing that JSON would change on the way. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };
