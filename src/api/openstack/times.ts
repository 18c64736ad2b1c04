/** RFC 3339 with `+00:00` for `Z`, as Ironic writes it. */
export const offsetTime = (time: string | null): string | null => time?.replace(/Z$/, '+00:00') ?? null;

/** To the second, as Neutron's times and most of Nova's are. */
export const toTheSecond = (time: string): string => time.replace(/\.\d+Z$/, 'Z');
