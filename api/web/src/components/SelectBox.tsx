import classes from "./SelectBox.module.css";

interface SelectBoxProps {
  label: string;
  checked: boolean;
  /** Some of what it stands for are selected. */
  some?: boolean;
  onChange: (checked: boolean, range: boolean) => void;
}

export function SelectBox({ label, checked, some = false, onChange }: SelectBoxProps) {
  return (
    <label className={classes.box}>
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        ref={(input) => {
          if (input) input.indeterminate = some && !checked;
        }}
        onChange={(event) => onChange(event.currentTarget.checked, (event.nativeEvent as MouseEvent).shiftKey === true)}
      />
    </label>
  );
}
