// Package upf is the reference UPF (3GPP TS 23.501 clause 6.2.3): N4 by package
// pfcp, N3's signalling by package n3, packets by whatever datapath it is
// given. It works with anybody's SMF.
//
//	cfg, err := upf.LoadConfig("upf.yaml")
//	dp, err := xdp.Open(...)
//	u, err := upf.New(cfg, dp, slog.Default())
//	err = u.Run(ctx)
package upf
