import { Input, SegmentedControl, Switch } from "@mantine/core";
import { useId } from "react";
import { CollectionPicker } from "@/components/CollectionPicker";
import type { Priority } from "@/uploads/engine";
import classes from "./UploadOptions.module.css";
import type { UploadOptionValues } from "./useUploadOptions";

const priorities: { value: Priority; label: string }[] = [
  { value: "low", label: "Low" },
  { value: "normal", label: "Normal" },
  { value: "high", label: "High" },
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
      <legend className="visually-hidden">For the next files</legend>
      <CollectionPicker
        label="Collection"
        placeholder="None"
        w={{ base: "100%", xs: 220 }}
        value={options.collection}
        onChange={(collection) => onChange({ ...options, collection })}
      />
      <div>
        <Input.Label component="div" id={priorityLabel} display="block">
          Priority
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
        label="Start as soon as files are added"
        checked={options.atOnce}
        onChange={({ currentTarget: { checked } }) => onChange({ ...options, atOnce: checked })}
      />
    </fieldset>
  );
}
