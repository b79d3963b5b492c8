; Inno Setup script of the Windows installer; run from the repository's root after PyInstaller:
;   iscc /DVersion=0.1.0 packaging\two-machines.iss
; A signature: iscc /DVersion=... /DSign=1 "/Ssigntool=signtool.exe sign /fd sha256 /tr http://timestamp.digicert.com /td sha256 /a $f" ...

#ifndef Version
  #error Give the version: /DVersion=0.1.0
#endif

[Setup]
AppId={{6E0C1D8B-2C64-4B5C-9E0B-6B6E6E0C7B52}
AppName=Two Machines
AppVersion={#Version}
AppPublisher=The Two Machines developers
DefaultDirName={autopf}\Two Machines
DefaultGroupName=Two Machines
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile=..\LICENSE
SetupIconFile=..\resources\icons\two-machines.ico
UninstallDisplayIcon={app}\two-machines-window.exe
OutputDir=..\dist
OutputBaseFilename=two-machines-setup-{#Version}
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
#ifdef Sign
SignTool=signtool
SignedUninstaller=yes
#endif

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[Tasks]
Name: desktopicon; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked

[Files]
Source: "..\build\bundle\two-machines\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs

[Icons]
Name: "{autoprograms}\Two Machines"; Filename: "{app}\two-machines-window.exe"
Name: "{autodesktop}\Two Machines"; Filename: "{app}\two-machines-window.exe"; Tasks: desktopicon

[Registry]
; "Open with", beside whatever program the user has chosen for .gguf.
Root: HKA; Subkey: "Software\Classes\.gguf\OpenWithProgids"; ValueType: string; ValueName: "TwoMachines.gguf"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\TwoMachines.gguf"; ValueType: string; ValueData: "GGUF model"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\TwoMachines.gguf\DefaultIcon"; ValueType: string; ValueData: "{app}\two-machines-window.exe,0"
Root: HKA; Subkey: "Software\Classes\TwoMachines.gguf\shell\open\command"; ValueType: string; ValueData: """{app}\two-machines-window.exe"" ""%1"""

[Run]
Filename: "{app}\two-machines-window.exe"; Description: "{cm:LaunchProgram,Two Machines}"; Flags: nowait postinstall skipifsilent
