const NUMBER = /^[+-]?(\d{1,400})(?:\.(\d{1,400}))?(?:e([+-]?\d{1,3}))?$/i;
/** Fewer digits than this are common in any text. */
const MIN_DIGITS = 6;

/** A number in the other notations that engines and providers have for it: without its sign, which hides nothing. */
export function digitsForms(text: string): string[] {
  const [, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text.trim()) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant.length === 0 || digits.length < 5) return [];
  const scale = fraction.length - Number(exponent);
  const plain = plainDigits(digits, scale);
  const short = plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
  const power = digits.length - 1 - scale;
  const mantissa = `${significant[0]}${significant.length > 1 ? "." : ""}${significant.slice(1)}`;
  const sign = power < 0 ? "-" : "+";
  const scientific = ["e", "E"].flatMap((letter) => [
    `${mantissa}${letter}${sign}${Math.abs(power)}`,
    `${mantissa}${letter}${sign}${String(Math.abs(power)).padStart(2, "0")}`,
    ...(power >= 0 ? [`${mantissa}${letter}${power}`] : []),
  ]);
  // Providers that count in floating point.
  const float = Number(`${whole}.${fraction}e${exponent}`);
  const floats = [String(float), ...(float < 1e21 ? [float.toFixed(6)] : []), float.toExponential(6)];
  const forms = [plain, short, ...scientific, ...floats];
  return forms.filter((form) => form.replace(/^[0.]+|[^0-9]/g, "").length >= MIN_DIGITS || form === short);
}

function plainDigits(digits: string, scale: number): string {
  if (scale <= 0) return digits + "0".repeat(Math.min(-scale, 400));
  const padded = digits.padStart(scale + 1, "0");
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}
