/** Returns the extension that the first bytes of a file ask for; null if they are none of a picture, sound, film or PDF. */
export function sniffExtension(start: Buffer): string | null {
  const text = start.toString('latin1', 0, 16);
  if (text.startsWith('\x89PNG')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpg';
  if (/^GIF8[79]a/.test(text)) return 'gif';
  if (text.startsWith('%PDF-')) return 'pdf';
  if (text.startsWith('RIFF')) return text.slice(8, 12) === 'WEBP' ? 'webp' : text.slice(8, 12) === 'WAVE' ? 'wav' : null;
  if (text.slice(4, 8) === 'ftyp') return /^(?:M4A|mp4a)/.test(text.slice(8, 12)) ? 'm4a' : 'mp4';
  if (/^(?:ID3|\xff[\xfb\xf3\xf2])/.test(text)) return 'mp3';
  if (text.startsWith('OggS')) return 'ogg';
  return null;
}
