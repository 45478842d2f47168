import { CloseButton, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { commonTexts } from "@/texts/common";

const TYPING_MS = 250;

interface SearchFieldProps extends Pick<TextInputProps, "className" | "flex" | "maw"> {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}

/** Typing waits a moment before it counts; when `value` changes by other means (back, a link), it wins. */
export function SearchField({ label, placeholder = label, value, onChange, ...place }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const tell = useDebouncedCallback((text: string) => {
    told.current = text;
    onChange(text);
  }, TYPING_MS);
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  const change = (text: string) => {
    setTyped(text);
    tell(text.trim());
  };
  return (
    <TextInput
      {...place}
      data-page-search
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={16} aria-hidden />}
      rightSection={
        typed !== "" && <CloseButton size="sm" aria-label={commonTexts.clearSearch} onClick={() => change("")} />
      }
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
