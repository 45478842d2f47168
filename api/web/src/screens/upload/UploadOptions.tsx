import { Input, SegmentedControl, Switch } from "@mantine/core";
import { useId } from "react";
import { CollectionPicker } from "@/components/CollectionPicker";
import { uploadTexts } from "@/texts/upload";
import type { Priority } from "@/uploads/engine";
import type { UploadOptionValues } from "@/uploads/options";
import classes from "./UploadOptions.module.css";

const texts = uploadTexts.options;
const priorities: { value: Priority; label: string }[] = [
  { value: "low", label: texts.low },
  { value: "normal", label: texts.normal },
  { value: "high", label: texts.high },
];

interface UploadOptionsProps {
  options: UploadOptionValues;
  onChange: (options: UploadOptionValues) => void;
}

/** For the files that are added next. */
export function UploadOptions({ options, onChange }: UploadOptionsProps) {
  const priorityLabel = useId();
  return (
    <fieldset className={classes.options}>
      <legend className="visually-hidden">{texts.label}</legend>
      <CollectionPicker
        label={texts.collection}
        placeholder={texts.noCollection}
        w={{ base: "100%", xs: 220 }}
        value={options.collection}
        onChange={(collection) => onChange({ ...options, collection })}
      />
      <div>
        <Input.Label component="div" id={priorityLabel} display="block">
          {texts.priority}
        </Input.Label>
        <SegmentedControl
          aria-labelledby={priorityLabel}
          data={priorities}
          value={options.priority}
          onChange={(value) => onChange({ ...options, priority: value as Priority })}
        />
      </div>
      <Switch
        mb={8}
        label={texts.startAutomatically}
        checked={options.atOnce}
        onChange={({ currentTarget: { checked } }) => onChange({ ...options, atOnce: checked })}
      />
    </fieldset>
  );
}
