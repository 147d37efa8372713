package pfcp

// Types of IEs of release 17 (TS 29.244 table 8.1.2-1) that package ie has no name for.
const (
	ieL2TPTunnel       = 276
	ieL2TPSession      = 277
	ieReplacement      = 293 // IP Address and Port Number Replacement
	ieDNSQueryFilter   = 294
	ieMBSN4mbControl   = 300
	ieMBSMulticast     = 301
	ieMBSUnicast       = 302
	ieRemoveMBSUnicast = 304
	ieMBSSession       = 305
	ieMBSN4Control     = 310
	ieAreaSession      = 314
	ieDSCPToPPI        = 316
	ieQERIndications   = 319
)
