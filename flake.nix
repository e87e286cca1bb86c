{
  description = "A test-case reducer and delta debugger";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).workspace.package;
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "boildown";
          inherit (manifest) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "boildown" ];
          buildFeatures = [ "remote" "lab" ];
          # They run what is not in the sandbox of a build, such as compilers and other sandboxes.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # Packs the tables of grammars; see `.ci/packing-cc`. The build sets `HOST_CC`, which counts
          # for more than `CC`.
          preBuild = pkgs.lib.optionalString pkgs.stdenv.hostPlatform.isElf ''
            patchShebangs .ci/packing-cc
            export PACKING_CC=$CC
            export CC_${
              builtins.replaceStrings [ "-" ] [ "_" ] pkgs.stdenv.hostPlatform.rust.rustcTarget
            }=$PWD/.ci/packing-cc
          '';
          postInstall = ''
            $out/bin/boildown man > boildown.1
            installManPage boildown.1
            installShellCompletion --cmd boildown \
              --bash <($out/bin/boildown completions bash) \
              --zsh <($out/bin/boildown completions zsh) \
              --fish <($out/bin/boildown completions fish)
          '';
          meta = {
            description = "Test-case reducer and delta debugger";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "boildown";
          };
        };
      });

      devShells = forEach (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo clippy rustc rustfmt gcc python3 git just mdbook ];
        };
      });
    };
}
