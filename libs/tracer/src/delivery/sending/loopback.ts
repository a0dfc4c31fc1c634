/** Whether an address names this machine: there, compressing costs more than it saves. */
export function isLoopback(serviceUrl: URL): boolean {
  const host = serviceUrl.hostname;
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(host)
  );
}
