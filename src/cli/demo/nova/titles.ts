/** What each recording shows. One that is not here is told in its own words. */
export const titles: Readonly<Record<string, string>> = {
  boot_success: 'A server boots, is stopped, started, rebooted, paused, rebuilt, reset and deleted.',
  cas_race_500: 'A rebuild is asked for at the moment at which somebody else reboots the server.',
  delete_while_scheduling: 'A server is asked for all kinds of things, and deleted, while a host is still sought.',
  external_events: 'External events, right and wrong, for a server that runs, one without a host, and one unknown.',
  no_valid_host_filtered: 'The filters leave none of the hosts that have room.',
  no_valid_host_placement_empty: 'No host has room. What can be done with such a server, and what not.',
  spawn_fails_once_then_succeeds: 'The first host fails, the second one boots the server.',
  vif_plug_failure_build_abort: 'A port is not plugged in time, so the build is given up, and no other host is tried.',
  pending_delete_by_user: 'The user deletes a server that waits for capacity.',
  pending_max_retries_from_scheduler_would_be_pending: 'The scheduler says that there were too many attempts.',
  pending_max_retries_stays_error: 'Three hosts fail. That is no lack of capacity: the server is in ERROR.',
  pending_no_valid_host: 'A server waits for capacity. What clients of either microversion see, and may do.',
  pending_not_for_other_failures: 'The scheduler breaks. That is no lack of capacity either.',
  pending_option_off: 'No host has room, and no server may be PENDING.',
};
