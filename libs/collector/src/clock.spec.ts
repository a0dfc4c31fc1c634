import { SystemClock } from './clock.js';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('SystemClock', () => {
  it('has microseconds and agrees with Date', () => {
    const clock = new SystemClock();
    const times = Array.from({ length: 1000 }, () => clock.nowUs());
    expect(new Set(times.map((us) => us % 1000)).size).toBeGreaterThan(1);
    const [before, now, after] = [Date.now(), clock.nowUs() / 1000, Date.now()];
    expect(now).toBeGreaterThan(before - 6);
    expect(now).toBeLessThan(after + 6);
  });

  it.each([3600e3, -3600e3])('follows the machine when its time is set by %d ms', (ms) => {
    const clock = new SystemClock();
    clock.nowUs();
    const realNow = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
    const [before, now, after] = [Date.now(), clock.nowUs() / 1000, Date.now()];
    expect(now).toBeGreaterThan(before - 6);
    expect(now).toBeLessThan(after + 6);
  });
});
