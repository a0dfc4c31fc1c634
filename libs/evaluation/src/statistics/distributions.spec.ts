import { normalCdf, normalQuantile } from './normal-distribution.js';
import { tQuantile, tUpperTail } from './student-t.js';

const relativeError = (found: number, known: number): number => Math.abs(found / known - 1);

// Known values: mpmath 1.3 with 40 digits.
describe('the normal distribution', () => {
  it.each([
    [-8, 6.220960574271784e-16],
    [-3.5, 0.00023262907903552504],
    [-3, 0.0013498980316300946],
    [-2.9, 0.001865813300384038],
    [-1, 0.15865525393145705],
    [-0.25, 0.4012936743170763],
    [0, 0.5],
    [0.5, 0.6914624612740131],
    [1.959963984540054, 0.975],
    [2.999, 0.9986456634662729],
    [3, 0.9986501019683699],
    [6, 0.9999999990134123],
    [40, 1],
  ])('has the known probability below %d', (x, known) => {
    expect(relativeError(normalCdf(x), known)).toBeLessThan(1e-12);
  });

  it.each([
    [1e-12, -7.034483825301132],
    [0.0005, -3.290526731491895],
    [0.025, -1.9599639845400543],
    [0.3, -0.5244005127080408],
    [0.8, 0.8416212335729142],
    [0.975, 1.9599639845400543],
    [0.9999, 3.7190164854556804],
  ])('has the known quantile at %d', (p, known) => {
    expect(Math.abs(normalQuantile(p) - known)).toBeLessThan(1e-11);
  });

  it('has its middle at 0 and no ends', () => {
    expect([0, 0.5, 1].map(normalQuantile)).toEqual([-Infinity, 0, Infinity]);
  });
});

describe("Student's t distribution", () => {
  it.each([
    [0, 5, 0.5],
    [0.5, 1, 0.35241638234956674],
    [1, 1, 0.25],
    [1, 0.5, 0.30112161084132205],
    [2.228138852, 10, 0.024999999999418255],
    [4.0621277, 9, 0.001416445063383154],
    [12, 3, 0.0006225079003946683],
    [0.01, 1000, 0.4960116409660936],
    [2, 1000, 0.02288517324662582],
    [5, 250_000, 2.868448979192268e-7],
    [-1.5, 7, 0.911350756505015],
    [-12, 3, 0.9993774920996054],
  ])('has the known probability above %d with %d degrees of freedom', (t, df, known) => {
    expect(relativeError(tUpperTail(t, df), known)).toBeLessThan(1e-11);
  });

  it.each([
    [0.975, 1, 12.706204736174705],
    [0.975, 2, 4.302652729749464],
    [0.975, 9, 2.2621571627982053],
    [0.025, 10, -2.228138851986275],
    [0.95, 30, 1.6972608865939578],
    [0.995, 120, 2.617421145106866],
    [0.975, 99_999, 1.9599877077718442],
    [0.975, 3_000_000, 1.9599647752974443],
    [0.5, 4, 0],
  ])('has the known quantile at %d with %d degrees of freedom', (p, df, known) => {
    expect(Math.abs(tQuantile(p, df) - known)).toBeLessThan(1e-9);
  });
});
