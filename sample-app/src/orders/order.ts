export const ORDER_NUMBER = /^LM-\d{4}$/;

export interface Order {
  readonly number: string;
  readonly status: 'packing' | 'on its way' | 'delivered' | 'returned';
  readonly lamps: readonly string[];
  readonly summary: string;
}

/** The shop's orders. A real shop reads them from a database. */
export const ORDERS: readonly Order[] = [
  {
    number: 'LM-1042',
    status: 'on its way',
    lamps: ['Lumen Desk'],
    summary: 'Order LM-1042 left the warehouse on Monday. It arrives on Thursday before noon.',
  },
  {
    number: 'LM-1057',
    status: 'delivered',
    lamps: ['Lumen Floor', 'Lumen Strip'],
    summary: 'Order LM-1057 was delivered on Friday. It can be returned until the end of the month.',
  },
  {
    number: 'LM-1063',
    status: 'returned',
    lamps: ['Lumen Bulb'],
    summary: 'The return of order LM-1063 arrived on Tuesday. Its refund of 29 EUR is paid within five days.',
  },
  {
    number: 'LM-1071',
    status: 'packing',
    lamps: ['Lumen Garden', 'Lumen Garden'],
    summary: 'Order LM-1071 is being packed. Its address can be changed until tonight.',
  },
];
