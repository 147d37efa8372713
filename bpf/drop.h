/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Why the reference UPF drops a packet. The same values, in the same order, as
 * upf/datapath/reason.go; a test holds the two together. */
#pragma once

enum upf_drop {
	DROP_MALFORMED_OUTER,
	DROP_MALFORMED_GTP,
	DROP_MALFORMED_INNER,
	DROP_UNKNOWN_TEID,
	DROP_UNKNOWN_UE,
	DROP_SOURCE_MISMATCH,
	DROP_QFI_MISMATCH,
	DROP_FAR_DROP,
	DROP_GATE_CLOSED,
	DROP_NO_ROUTE,
	DROP_TOO_BIG,
	DROP_TTL,
	DROP_HEADROOM,
	DROP_UNSUPPORTED,
	DROP_TO_UPF,
	DROP_NESTED,
	DROP_NO_TUNNEL,
	DROP_EGRESS,
	DROP_PFCP,
	DROP_FLOOD,
	DROP_NO_PDR,
	DROP_RATE,
	DROP_QUOTA,
	DROP_BUFFERED,
	DROP_COUNT,
};
