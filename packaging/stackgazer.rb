# A template: packaging/fill.py puts versions, addresses and checksums in.
class Stackgazer < Formula
  desc "{{description}}"
  homepage "{{repository}}"
  version "{{version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{repository}}/releases/download/v{{version}}/stackgazer-{{version}}-aarch64-apple-darwin.tar.gz"
      sha256 "{{sha256 aarch64-apple-darwin.tar.gz}}"
    end
    on_intel do
      url "{{repository}}/releases/download/v{{version}}/stackgazer-{{version}}-x86_64-apple-darwin.tar.gz"
      sha256 "{{sha256 x86_64-apple-darwin.tar.gz}}"
    end
  end

  on_linux do
    on_arm do
      url "{{repository}}/releases/download/v{{version}}/stackgazer-{{version}}-aarch64-unknown-linux-musl.tar.gz"
      sha256 "{{sha256 aarch64-unknown-linux-musl.tar.gz}}"
    end
    on_intel do
      url "{{repository}}/releases/download/v{{version}}/stackgazer-{{version}}-x86_64-unknown-linux-musl.tar.gz"
      sha256 "{{sha256 x86_64-unknown-linux-musl.tar.gz}}"
    end
  end

  def install
    bin.install "stackgazer"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/stackgazer.bash" => "stackgazer"
    zsh_completion.install "completions/_stackgazer"
    fish_completion.install "completions/stackgazer.fish"
  end

  test do
    (testpath/"dump.txt").write "goroutine 1 [running]:\nmain.main()\n\t/a/main.go:1 +0x1\n"
    assert_match "1 goroutine", shell_output("#{bin}/stackgazer summarize #{testpath}/dump.txt")
  end
end
