import { Button } from "@mantine/core";
import { BellRing } from "lucide-react";
import type { Endpoint } from "@/api/types";
import { EmptyState } from "@/components/EmptyState";
import { useKeepFocus } from "@/components/useKeepFocus";
import { alertsTexts } from "@/texts/alerts";
import { Section } from "../../settings/Section";
import classes from "../Alerts.module.css";
import { EndpointRow } from "./EndpointRow";

const texts = alertsTexts.endpoints;

interface EndpointsProps {
  endpoints: readonly Endpoint[];
  onAdd: () => void;
}

/** Where alerts are sent. */
export function Endpoints({ endpoints, onAdd }: EndpointsProps) {
  const holder = useKeepFocus<HTMLUListElement>(endpoints);
  return (
    <Section id="endpoints" title={texts.title} description={texts.description}>
      {endpoints.length === 0 && (
        <EmptyState
          icon={BellRing}
          title={texts.none}
          action={
            <Button variant="default" onClick={onAdd}>
              {texts.addFirst}
            </Button>
          }
        >
          {texts.noneText}
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
