/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The sink, for a port whose driver gives programs the time at which the NIC received a
 * frame (Linux 6.3). It is loaded for that port alone. */
#define STAMPED
#include "sink.c"
