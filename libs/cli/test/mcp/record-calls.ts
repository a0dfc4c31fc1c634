import { Tracer } from '@dacapo/tracer';

interface Parcel {
  readonly place: string | null;
}

/** Records answers of the support desk in production: one for each parcel. A parcel without a place fails. */
export async function recordAnswers(
  env: { TRACER_API_KEY: string; TRACER_SERVICE_URL: string },
  parcels: Readonly<Record<string, Parcel>>,
): Promise<void> {
  const tracer = new Tracer({ apiKey: env.TRACER_API_KEY, serviceUrl: env.TRACER_SERVICE_URL });
  const lookup = tracer.withSpan('support.lookup', (id: string) => Promise.resolve(parcels[id]));
  const answer = tracer.withSpan('support.answer', async (id: string) => {
    const parcel = (await lookup(id)) as { place: string };
    return `Your parcel is in ${parcel.place.toUpperCase()}`;
  });
  for (const id of Object.keys(parcels)) await answer(id).catch(() => undefined);
  await tracer.shutdown();
}
