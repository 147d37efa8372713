package main

import (
	"fmt"
	"os"
	"path/filepath"

	"aead.dev/minisign"
)

// signatureName is the signature of the checksums, and so of all files, in minisign's format.
const signatureName = sumsName + ".minisig"

// passwordVariable has the password of the secret key, if it has one.
const passwordVariable = "MINISIGN_PASSWORD"

// sign signs the checksums with the owner's secret key, a file that minisign made.
func sign(out, keyFile string, v version) error {
	text, err := os.ReadFile(keyFile)
	if err != nil {
		return fmt.Errorf("read the key that signs: %w; `minisign -G` makes one", err)
	}
	key, err := secretKey(text)
	if err != nil {
		return fmt.Errorf("the key %s: %w; the variable %s has its password", keyFile, err, passwordVariable)
	}
	sums, err := os.ReadFile(filepath.Join(out, sumsName))
	if err != nil {
		return err
	}
	// minisign signs this comment as well: an old release cannot be passed off as a new one.
	signature := minisign.SignWithComments(key, sums, trustedComment(v), "signature of upflab's "+sumsName)
	return os.WriteFile(filepath.Join(out, signatureName), signature, 0o644)
}

func secretKey(text []byte) (key minisign.PrivateKey, err error) {
	if minisign.IsEncrypted(text) {
		return minisign.DecryptKey(os.Getenv(passwordVariable), text)
	}
	err = key.UnmarshalText(text)
	return key, err
}

func trustedComment(v version) string { return "upflab " + v.name + " commit " + v.commit }

// checkSignature: the checksums are signed by the owner's public key, as those of this version.
func checkSignature(dir, keyFile string, v version) error {
	key, err := minisign.PublicKeyFromFile(keyFile)
	if err != nil {
		return fmt.Errorf("read the public key: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, signatureName))
	if err != nil {
		return fmt.Errorf("the release is not signed: %w; SIGN=KEY make release signs it", err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return err
	}
	if !minisign.Verify(key, sums, text) {
		return fmt.Errorf("%s is no signature of %s by the key %s", signatureName, sumsName, keyFile)
	}
	var s minisign.Signature
	if err := s.UnmarshalText(text); err != nil {
		return err
	}
	if s.TrustedComment != trustedComment(v) {
		return fmt.Errorf("%s is of %q, not of %q", signatureName, s.TrustedComment, trustedComment(v))
	}
	return nil
}
