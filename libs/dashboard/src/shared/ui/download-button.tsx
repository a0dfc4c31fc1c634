interface DownloadButtonProps {
  /** Makes the text when it is wanted. */
  text: () => string;
  fileName: string;
}

export function DownloadButton({ text, fileName }: DownloadButtonProps) {
  const download = () => {
    const url = URL.createObjectURL(new Blob([text()], { type: 'application/octet-stream' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = fileName;
    link.click();
    setTimeout(() => {
      URL.revokeObjectURL(url);
    }, 10_000);
  };
  return (
    <button type="button" className="small plain" aria-label={`Download ${fileName}`} onClick={download}>
      Download
    </button>
  );
}
