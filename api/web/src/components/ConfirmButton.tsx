import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { confirm, type Question } from "./confirm";

interface ConfirmButtonProps extends ButtonProps {
  question: Omit<Question, "onConfirm">;
  onConfirm: () => void;
  children: ReactNode;
}

export function ConfirmButton({ question, onConfirm, children, ...button }: ConfirmButtonProps) {
  return (
    <Button variant="default" {...button} onClick={() => confirm({ ...question, onConfirm })}>
      {children}
    </Button>
  );
}
