import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { endpointsQuery } from "@/api/queries";
import { ErrorState } from "@/components/ErrorState";
import { PageHeader } from "@/components/PageHeader";
import { RowsSkeleton } from "@/components/Skeletons";
import { alertsTexts as texts } from "@/texts/alerts";
import { ActiveAlerts } from "./ActiveAlerts";
import { Deliveries } from "./deliveries/Deliveries";
import { EndpointDialog } from "./endpoints/EndpointDialog";
import { Endpoints } from "./endpoints/Endpoints";

export function AlertsScreen() {
  const endpoints = useQuery(endpointsQuery());
  const [adding, dialog] = useDisclosure(false);
  const known = endpoints.data?.items;
  return (
    <>
      <PageHeader
        title={texts.title}
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={dialog.open}>
            {texts.addEndpoint}
          </Button>
        }
      >
        {texts.subtitle}
      </PageHeader>
      <Stack gap="lg">
        <ActiveAlerts />
        {endpoints.isPending && <RowsSkeleton rows={3} />}
        {endpoints.isError && !known && (
          <ErrorState error={endpoints.error} title={texts.endpoints.loadError} retry={() => endpoints.refetch()} />
        )}
        {known && <Endpoints endpoints={known} onAdd={dialog.open} />}
        {known && <Deliveries endpoints={known} />}
      </Stack>
      <EndpointDialog opened={adding} onClose={dialog.close} />
    </>
  );
}
