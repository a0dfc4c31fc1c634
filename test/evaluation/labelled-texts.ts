export type Label = 'billing' | 'delivery' | 'account' | 'product';

/** Sample support texts with their queues. */
export const LABELLED: readonly { readonly text: string; readonly label: Label }[] = [
  ['I was charged twice for the same order', 'billing'],
  ['The invoice shows the wrong amount', 'billing'],
  ['When do I get my refund?', 'billing'],
  ['My card was declined at checkout', 'billing'],
  ['Can I pay by bank transfer?', 'billing'],
  ['The discount was not taken off the price', 'billing'],
  ['Please send the invoice to my company', 'billing'],
  ['I see a payment that I do not know', 'billing'],
  ['The refund is smaller than what I paid', 'billing'],
  ['Is VAT included in the price?', 'billing'],
  ['My parcel has not arrived yet', 'delivery'],
  ['The courier left the package in the rain', 'delivery'],
  ['Where is my order? It is a week late', 'delivery'],
  ['Tracking says delivered, and there is nothing here', 'delivery'],
  ['Can you ship to Norway?', 'delivery'],
  ['The package was damaged on its way', 'delivery'],
  ['I want it sent to another address', 'delivery'],
  ['How long does shipping take?', 'delivery'],
  ['The courier never rang', 'delivery'],
  ['Half of the order is missing from the parcel', 'delivery'],
  ['I cannot log in any more', 'account'],
  ['How do I change my password?', 'account'],
  ['Please delete my account', 'account'],
  ['I want another e-mail for my login', 'account'],
  ['The code for signing in never comes', 'account'],
  ['Somebody else is using my account', 'account'],
  ['Where do I turn off the newsletter?', 'account'],
  ['My profile has the wrong name', 'account'],
  ['I am locked out after three tries', 'account'],
  ['Can two people share one login?', 'account'],
  ['The lamp does not turn on', 'product'],
  ['Is the chair made of oak?', 'product'],
  ['A screw is too short for the shelf', 'product'],
  ['Does the lamp work in the bathroom?', 'product'],
  ['The manual is in the wrong language', 'product'],
  ['How do I clean the sofa?', 'product'],
  ['The chair squeaks when I sit down', 'product'],
  ['Which bulb fits this lamp?', 'product'],
  ['The colour is not the one on the picture', 'product'],
  ['Is there a longer table of this kind?', 'product'],
].map(([text = '', label]) => ({ text, label: label as Label }));

const WORDS: Record<Label, readonly string[]> = {
  billing: ['charged', 'invoice', 'refund', 'card', 'pay', 'price', 'payment', 'vat'],
  delivery: ['parcel', 'courier', 'order', 'delivered', 'ship', 'package', 'sent', 'shipping'],
  account: ['log', 'password', 'account', 'login', 'signing', 'profile', 'locked', 'newsletter'],
  product: ['lamp', 'chair', 'shelf', 'manual', 'sofa', 'bulb', 'colour', 'table'],
};

/** A classifier that knows this many words of each queue and otherwise returns `product`. */
export function classifier(known: number): (text: string) => Label {
  const rules = (Object.entries(WORDS) as [Label, readonly string[]][]).map(
    ([label, words]) => [label, words.slice(0, known)] as const,
  );
  return (text) => {
    const found = new Set(text.toLowerCase().match(/\p{L}+/gu));
    return rules.find(([, words]) => words.some((word) => found.has(word)))?.[0] ?? 'product';
  };
}
