import { Button } from "@mantine/core";
import { BellRing } from "lucide-react";
import type { Endpoint } from "@/api/types";
import { EmptyState } from "@/components/EmptyState";
import { useKeepFocus } from "@/components/useKeepFocus";
import { Section } from "../../settings/Section";
import classes from "../Alerts.module.css";
import { EndpointRow } from "./EndpointRow";

interface EndpointsProps {
  endpoints: readonly Endpoint[];
  onAdd: () => void;
}

/** Who is told. */
export function Endpoints({ endpoints, onAdd }: EndpointsProps) {
  const holder = useKeepFocus<HTMLUListElement>(endpoints);
  return (
    <Section
      id="endpoints"
      title="Endpoints"
      description="Channels of Slack or Discord, and programs that take signed webhooks."
    >
      {endpoints.length === 0 && (
        <EmptyState
          icon={BellRing}
          title="Nobody is told yet"
          action={
            <Button variant="default" onClick={onAdd}>
              Add the first endpoint
            </Button>
          }
        >
          Make an incoming webhook in Slack or Discord and paste its address here, or the address of a program of yours.
        </EmptyState>
      )}
      <ul className={classes.list} ref={holder}>
        {endpoints.map((endpoint) => (
          <EndpointRow key={endpoint.id} endpoint={endpoint} />
        ))}
      </ul>
    </Section>
  );
}
