/** Collects the ids of spans from inside the functions. */
export function collectIds(tracer) {
  let ids = [];
  return {
    note: () => ids.push(tracer.getCurrentSpan().spanId),
    take: () => {
      const taken = ids;
      ids = [];
      return taken;
    },
  };
}
